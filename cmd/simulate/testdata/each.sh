# Runs each command line of a file, such as "$ simulate list", and prints it with its stderr and its exit
# code. Output on stdout is a mistake.
sed -n 's/^\$ simulate //p' "$1" | while IFS= read -r line; do
	echo "\$ simulate $line"
	out=$(simulate $line 2>&1 >unexpected </dev/null)
	code=$?
	[ -z "$out" ] || echo "$out"
	[ ! -s unexpected ] || echo "something on stdout"
	echo "exit $code"
done
