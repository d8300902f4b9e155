//go:build linux

package bubble_test

// CLIENT TRACKING: messages about keys that a connection has read. A PING ends each part without
// messages: an unexpected one would come before its reply.
func init() {
	for name, talk := range map[string]string{
		"others":             "a CLIENT TRACKING ON|a GET k|b SET k 1|a hears|b SET k 2|a PING|a GET k|b DEL k|a hears|b DEL k|a PING",
		"own":                "a CLIENT TRACKING ON|a GET k|a SET k 1|a hears|b SET k 2|a PING",
		"only written":       "a CLIENT TRACKING ON|a SET k 1|b SET k 2|a GETSET k 3|b SET k 4|a SET k 5 GET|b DEL k|a PING",
		"own, quietly":       "a CLIENT TRACKING ON NOLOOP|a GET k|a SET k 1|b SET k 2|a PING|a GET k|b SET k 3|a hears",
		"both look":          "a CLIENT TRACKING ON NOLOOP|b CLIENT TRACKING ON|a GET k|b GET k|a SET k 1|b hears|b SET k 2|a PING",
		"quiet from now on":  "a CLIENT TRACKING ON|a GET k|a CLIENT TRACKING ON NOLOOP|a SET k 1|a PING|a GET k|b SET k 2|a hears",
		"times":              "a CLIENT TRACKING ON|a SET k 1|a GET k|b PEXPIRE k 100000|a hears|a TTL k|b PERSIST k|a hears|a TYPE k|b SET k 2 NX|b GETDEL k|a hears",
		"several":            "a CLIENT TRACKING ON|a MGET k l|b MSET l 1 k 1|a hears|a hears|a EXISTS l k|a MSET k 1 l 1|a hears|a hears|a PING",
		"its time is up":     "a CLIENT TRACKING ON|a SET k 1 PX 30|a GET k|sleeps|b GET k|a hears|a PING",
		"other types":        "a CLIENT TRACKING ON|a HGET h f|b HSET h f 1|a hears|a HGET h f|b HINCRBY h f 1|a hears|a LRANGE l 0 -1|b LPUSH l 1|a hears|a ZSCORE z m|b ZADD z 1 m|a hears|b LPOP l|a PING",
		"wrong type":         "a CLIENT TRACKING ON|a SET k 1|a HGET k f|b SET k 2|a hears|a STRLEN|a PING",
		"script":             "a CLIENT TRACKING ON|a EVAL return(redis.call('GET',KEYS[1])) 2 k l|b SET l 1|a hears|b SET k 1|a hears",
		"script reads other": "a CLIENT TRACKING ON|a EVAL return(redis.call('GET','m')) 1 k|b SET m 1|a PING|b SET k 1|a hears|a EVAL return(redis.call('GET','m')) 0|b SET m 2|a PING",
		"script reads none":  "a CLIENT TRACKING ON|a EVAL return(redis.call('SET',KEYS[1],'1')) 1 k|a EVAL return(redis.call('PING')) 1 k|b SET k 2|a PING",
		"script, then reads": "a CLIENT TRACKING ON|a EVAL return{redis.call('SET',KEYS[1],'1'),redis.call('GET',KEYS[1])} 1 k|a PING|b SET k 2|a hears",
		"script, then sets":  "a CLIENT TRACKING ON|a EVAL return{redis.call('GET',KEYS[1]),redis.call('SET',KEYS[1],'1')} 1 k|a hears|b SET k 2|a PING",
		"script, both":       "a CLIENT TRACKING ON|a EVAL return{redis.call('GET',KEYS[1]),redis.call('SET',KEYS[1],'1'),redis.call('GET',KEYS[1])} 1 k|a hears|b SET k 2|a hears",
		"script, quietly":    "a CLIENT TRACKING ON NOLOOP|a EVAL return{redis.call('GET',KEYS[1]),redis.call('SET',KEYS[1],'1')} 1 k|b SET k 2|a PING",
		"script, one key":    "a CLIENT TRACKING ON|a EVAL return{redis.call('GET',KEYS[1]),redis.call('SET',KEYS[2],'1')} 2 k l|a hears|b SET l 2|a PING|b SET k 1|a hears",
		"script of a lock":   "a CLIENT TRACKING ON|a SET k 1|a EVAL if--[[]]redis.call('get',KEYS[1])==ARGV[1]then--[[]]return--[[]]redis.call('del',KEYS[1])else--[[]]return--[[]]0--[[]]end 1 k 2|b SET k 2|a hears|a EVAL if--[[]]redis.call('get',KEYS[1])==ARGV[1]then--[[]]return--[[]]redis.call('del',KEYS[1])else--[[]]return--[[]]0--[[]]end 1 k 2|a hears",
		"transaction":        "a CLIENT TRACKING ON|a MULTI|a GET k|a SET l 1|a EXEC|b SET l 2|a PING|b SET k 1|a hears",
		"own transaction":    "a CLIENT TRACKING ON|a GET k|a MULTI|a SET k 1|a GET k|a SET k 2|a EXEC|a hears|a hears|b SET k 3|a PING",
		"all is gone":        "a CLIENT TRACKING ON|b FLUSHALL|a hears|a GET k|b FLUSHALL|a hears|b SET k 1|a PING|a CLIENT TRACKING ON NOLOOP|a FLUSHALL|a hears",
		"all, in a script":   "a CLIENT TRACKING ON|a GET k|a EVAL return(redis.call('FLUSHALL')) 0|a hears|b SET k 1|a PING",
		"off":                "a CLIENT TRACKING ON|a GET k|a CLIENT TRACKING OFF|b SET k 1|a GET k|b SET k 2|a PING|a GET k|a CLIENT TRACKING ON|a GET k|b SET k 3|a hears",
		"off and on":         "a CLIENT TRACKING ON|a GET k|a CLIENT TRACKING OFF|a CLIENT TRACKING ON|b SET k 1|a hears",
		"only those asked":   "a CLIENT TRACKING ON OPTIN|a GET k|b SET k 1|a PING|a CLIENT CACHING YES|a GET k|a GET l|b SET l 2|b SET k 2|a hears|a PING",
		"asked for all":      "a CLIENT TRACKING ON OPTIN|a CLIENT CACHING YES|a MULTI|a PTTL k|a GET l|a EXEC|a GET m|b SET m 1|b SET l 1|a hears|b SET k 1|a hears",
		"asked too early":    "a CLIENT TRACKING ON OPTIN|a CLIENT CACHING YES|a PING|a GET k|b SET k 1|a PING|a CLIENT CACHING YES|a CLIENT SETNAME x|a GET k|b SET k 2|a hears",
		"but those asked":    "a CLIENT TRACKING ON OPTOUT|a CLIENT CACHING NO|a GET k|b SET k 1|a PING|a GET k|b SET k 2|a hears",
		"asked for nothing":  "a CLIENT CACHING YES|a CLIENT TRACKING ON|a CLIENT CACHING YES|a CLIENT CACHING NO|a CLIENT CACHING",
		"asked wrongly":      "a CLIENT TRACKING ON OPTIN|a CLIENT CACHING NO|a CLIENT CACHING maybe|a CLIENT TRACKING ON OPTOUT|a CLIENT CACHING YES|a CLIENT TRACKING OFF|a CLIENT TRACKING ON OPTOUT|a CLIENT CACHING YES|a CLIENT TRACKING ON|a CLIENT CACHING NO",
		"what is no mode":    "a CLIENT TRACKING ON OPTIN OPTOUT|a CLIENT TRACKING|a CLIENT TRACKING maybe|a CLIENT TRACKING ON maybe|a CLIENT TRACKING ON NOLOOP OPTIN OPTIN|a GET k|b SET k 1|a PING",
		"and listens":        "a CLIENT TRACKING ON|a SUBSCRIBE c|a GET k|b SET k 1|a hears|b PUBLISH c x|a hears",
	} {
		talks["tracking: "+name] = "a HELLO 3|b HELLO 3|" + talk
	}
	talks["tracking in 2"] = "a CLIENT TRACKING ON|a GET k|b SET k 1|a PING|a HELLO 3|a GET k|b SET k 2|a hears"
}
