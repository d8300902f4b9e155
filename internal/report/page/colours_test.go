package page_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"

	"lockstep/internal/report/figure"
)

// palette has the colours of one theme by their names.
type palette map[string]string

// themes are light, dark and print, the latter two on top of the first, as in a browser.
func themes(t *testing.T) []palette {
	t.Helper()
	roots := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(read(t, "page.css"), -1)
	value := regexp.MustCompile(`--([a-z0-9]+): (#[0-9a-f]{3,6})`)
	var out []palette
	for _, root := range roots {
		p := palette{}
		for _, m := range value.FindAllStringSubmatch(roots[0][1]+root[1], -1) {
			p[m[1]] = m[2]
		}
		out = append(out, p)
	}
	return out
}

// clients and verdicts are the colours with a meaning.
var clients, verdicts = []string{"c1", "c2", "c3", "c4", "c5", "c6"}, []string{"kept", "safe", "damaged"}

// eyes simulate colour vision: what each primary colour adds to red, green and blue (Machado,
// Oliveira and Fernandes 2009, at full severity).
var eyes = map[string][3][3]float64{
	"all colours": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"no red":      {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no green":    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"no blue":     {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// Colour-blind readers, too, can tell clients from each other and from verdicts. Nearly every story
// has the first three only.
func TestColoursAreToldApart(t *testing.T) {
	for n, p := range themes(t) {
		for eye, sees := range eyes {
			apart := func(a, b string, least float64) {
				if d := distance(t, p[a], p[b], sees); d < least {
					t.Errorf("theme %d, %s: --%s and --%s are only %.1f apart, want %.0f", n, eye, a, b, d, least)
				}
			}
			for i, a := range clients {
				for k, b := range clients[:i] {
					least := 6.0
					if i < 3 && k < 3 {
						least = 12
					}
					apart(a, b, least)
				}
				for _, v := range verdicts {
					least := 8.0
					if eye == "no blue" { // one in ten thousand; and every verdict has its word beside it
						least = 5
					}
					apart(a, v, least)
				}
			}
		}
	}
}

// Plot files have the colours of the light theme, and on a page each of them follows the theme.
func TestPlotsHaveTheColoursOfThePage(t *testing.T) {
	light := themes(t)[0]
	follows := regexp.MustCompile(`\[(fill|stroke)="(#\w+)"\] \{ (fill|stroke): var\(--(\w+)\); \}`).FindAllStringSubmatch(figure.CSS, -1)
	if len(follows) != 2*(3+len(clients)) {
		t.Errorf("%d rules: %s", len(follows), figure.CSS)
	}
	for _, m := range follows {
		if m[1] != m[3] || m[2] != light[m[4]] {
			t.Errorf("%s in files, and %s in pages", m[0], light[m[4]])
		}
	}
}

// No client has the hue of a verdict or of the marks of a violation.
func TestClientsHaveOtherHues(t *testing.T) {
	for n, p := range themes(t) {
		for _, a := range clients {
			for _, b := range append([]string{"ring", "bad", "good"}, verdicts...) {
				if d := math.Abs(math.Remainder(hue(t, p[a])-hue(t, p[b]), 360)); d < 30 {
					t.Errorf("theme %d: the hues of --%s and --%s are only %.0f degrees apart", n, a, b, d)
				}
			}
		}
	}
}

// hue is the hue angle of a colour in OKLab, in degrees.
func hue(t *testing.T, hex string) float64 {
	t.Helper()
	c := oklab(linear(t, hex), eyes["all colours"])
	return math.Atan2(c[2], c[1]) * 180 / math.Pi
}

// distance is the distance of two colours in OKLab, in hundredths.
func distance(t *testing.T, a, b string, sees [3][3]float64) float64 {
	t.Helper()
	x, y := oklab(linear(t, a), sees), oklab(linear(t, b), sees)
	return 100 * math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

func oklab(c [3]float64, sees [3][3]float64) [3]float64 {
	c = times(sees, c)
	for i := range c {
		c[i] = min(max(c[i], 0), 1)
	}
	cones := times([3][3]float64{
		{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566}, {0.0883024619, 0.2817188376, 0.6299787005},
	}, c)
	for i := range cones {
		cones[i] = math.Cbrt(cones[i])
	}
	return times([3][3]float64{
		{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099}, {0.0259040371, 0.7827717662, -0.8086757660},
	}, cones)
}

func times(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i, row := range m {
		for k := range row {
			out[i] += row[k] * v[k]
		}
	}
	return out
}

// linear is a colour in linear light, from 0 to 1.
func linear(t *testing.T, hex string) (out [3]float64) {
	t.Helper()
	if len(hex) == 4 {
		hex = fmt.Sprintf("#%[1]c%[1]c%[2]c%[2]c%[3]c%[3]c", hex[1], hex[2], hex[3])
	}
	n, err := strconv.ParseUint(hex[1:], 16, 24)
	if err != nil {
		t.Fatalf("colour %q: %v", hex, err)
	}
	for i := range out {
		c := float64(n>>(16-8*i)&0xff) / 255
		if c <= 0.04045 {
			out[i] = c / 12.92
		} else {
			out[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return out
}
