package redis

import "strings"

// Slots is how many hash slots a Redis Cluster has. (Redis Cluster specification,
// "Key distribution model".)
const Slots = 16384

// KeySlot returns the hash slot of a key: CRC16 of the key, or of its hash tag, the
// text between its first { and the next }, unless that is empty.
func KeySlot(key string) int {
	if _, rest, ok := strings.Cut(key, "{"); ok {
		if tag, _, closed := strings.Cut(rest, "}"); closed && tag != "" {
			key = tag
		}
	}
	return int(crc16(key) % Slots)
}

// crc16 is CRC-16/XMODEM: polynomial 1021, not reflected, initial value 0.
func crc16(s string) uint16 {
	crc := uint16(0)
	for i := range len(s) {
		crc ^= uint16(s[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}

// keyless are the commands without keys, which any node of a cluster executes.
var keyless = map[string]bool{
	"PING": true, "TIME": true, "INFO": true, "WAIT": true, "SUBSCRIBE": true, "UNSUBSCRIBE": true, "PUBLISH": true,
}

// manyKeys are those of which every argument is a key.
var manyKeys = map[string]bool{"DEL": true, "UNLINK": true, "EXISTS": true}

// KeysOf returns the keys of a command.
func KeysOf(cmd *Cmd) (keys []string) {
	if keyless[cmd.name] {
		return nil
	}
	for _, key := range cmd.keys() {
		keys = append(keys, key.String())
	}
	return keys
}

// keys are the arguments that are keys.
func (c *Cmd) keys() []Arg {
	n := min(1, c.n)
	switch {
	case c.Script != nil:
		n = c.numKeys
	case manyKeys[c.name]:
		n = c.n
	}
	return c.Arguments()[:n]
}
