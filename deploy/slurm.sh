#!/bin/bash
# A search as an array of Slurm, on a file system that all nodes share:
#
#     job=$(sbatch --parsable deploy/slurm.sh)
#     sbatch --dependency=afterok:$job --wrap 'simulate dev merge parts --json >result.json'
#
#SBATCH --job-name=lockstep
#SBATCH --array=1-16
#SBATCH --cpus-per-task=4
#SBATCH --requeue
set -eu
exec simulate search redlock-storm --seeds 1000000 \
	--shard "auto/$SLURM_ARRAY_TASK_COUNT" --part parts/ --jobs "$SLURM_CPUS_PER_TASK"
