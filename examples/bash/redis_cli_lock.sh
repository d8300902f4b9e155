#!/bin/bash
# A lock in bash with redis-cli, as a lock program for lockstep.
#
# Put your own lock into acquire and release; the rest speaks the protocol.

# redis calls the server; no call may wait forever.
redis() { timeout 1 redis-cli -h "$host" -p "$port" "$@"; }

# acquire says whether the lock was acquired within so many milliseconds.
acquire() {
	local name=$1 wait_ms=$2 end reply
	token=$RANDOM$RANDOM$RANDOM
	end=$((${EPOCHREALTIME/./} / 1000 + wait_ms))
	while ((${EPOCHREALTIME/./} / 1000 < end)); do
		reply=$(redis SET "$name" "$token" NX PX "$lease_ms") && [ "$reply" = OK ] && return 0
		sleep 0.02
	done
	return 1
}

# release prints 1 when an entry of ours was removed, 0 when there was none, else why that is unknown.
release() {
	redis EVAL "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0" \
		1 "$name" "$token" 2>&1
}

# field prints a value of a question.
field() {
	local form="\"$1\":\[?\"?([^]\",}]*)"
	[[ $question =~ $form ]] && printf %s "${BASH_REMATCH[1]}"
}

while IFS= read -r question; do
	id=$(field id)
	case $(field op) in
	init)
		server=$(field servers) lease_ms=$(field lease_ms)
		host=${server%:*} port=${server##*:}
		echo "{\"id\":$id,\"ok\":true}"
		;;
	acquire)
		name=$(field name)
		if acquire "$name" "$(field wait_ms)"; then
			echo "{\"id\":$id,\"ok\":true}"
		else
			echo "{\"id\":$id,\"ok\":false,\"err\":\"timeout\"}"
		fi
		;;
	release)
		case $(release) in
		1) echo "{\"id\":$id,\"ok\":true}" ;;
		0) echo "{\"id\":$id,\"ok\":false,\"err\":\"not-held\"}" ;;
		*) echo "{\"id\":$id,\"ok\":false,\"err\":\"unknown\",\"detail\":\"no answer from the server\"}" ;;
		esac
		;;
	*) echo "{\"id\":$id,\"ok\":false,\"err\":\"unknown\",\"detail\":\"no such request\"}" ;;
	esac
done
