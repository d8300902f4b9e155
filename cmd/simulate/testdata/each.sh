# Runs every line of a file as arguments of simulate, and prints what it said and
# its exit code. What is printed on stdout is not shown: there must be nothing.
while IFS= read -r line; do
	echo "\$ simulate $line"
	out=$(simulate $line 2>&1 >unexpected </dev/null)
	code=$?
	[ -z "$out" ] || echo "$out"
	[ ! -s unexpected ] || echo "something on stdout"
	echo "exit $code"
done <"$1"
