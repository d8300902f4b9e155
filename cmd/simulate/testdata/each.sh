# Runs simulate with the arguments in each line of a file, and prints its stderr and its exit code.
# Output on stdout is a mistake.
while IFS= read -r line; do
	echo "\$ simulate $line"
	out=$(simulate $line 2>&1 >unexpected </dev/null)
	code=$?
	[ -z "$out" ] || echo "$out"
	[ ! -s unexpected ] || echo "something on stdout"
	echo "exit $code"
done <"$1"
