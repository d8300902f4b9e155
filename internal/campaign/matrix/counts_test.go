package matrix

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/rate"
	"lockstep/internal/say"
)

// ran is one run of a cell.
type ran struct {
	v      Variation
	letter checker.Letter
}

// The counts of a cell agree with their definitions, here applied to the list of its runs. A script
// that tested nothing makes the cell unknown unless a variation does harm.
func TestTheCountsOfACell(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	letters := []checker.Letter{"S", "L", "D", "F", "V", "VF", "?"}
	for range 3000 {
		var runs []ran
		for k := range 1 + r.IntN(3) {
			runs = append(runs, ran{Variation{Script: k}, letters[r.IntN(len(letters))]})
		}
		for seed := range r.IntN(8) {
			runs = append(runs, ran{Variation{r.IntN(3), uint64(seed + 1)}, letters[r.IntN(len(letters))]})
		}
		c := Cell{}
		h := history.New(history.Header{})
		for i, one := range runs {
			s := &Script{Name: say.Text(fmt.Sprint("run ", i))}
			c.add(s, one.v, &checker.Judgement{Letter: one.letter, History: h})
		}
		c.conclude()
		if got, want := countsOf(&c), countsBy(runs); got != want {
			t.Fatalf("%v:\n got %s\nwant %s", runs, got, want)
		}
	}
}

func countsOf(c *Cell) string {
	name := func(s *Sighting) string {
		if s == nil {
			return "none"
		}
		return s.Name.English() + " " + string(s.Letter)
	}
	out := fmt.Sprint(c.Runs, c.Untested, c.Broken, c.Stuck, c.Letter, c.Also(), len(c.Scripts))
	if c.Letter == checker.LetterUnknown {
		return out
	}
	return out + fmt.Sprint(c.Rate, c.Low, c.High, name(c.Scripted), name(c.Worst), c.Letter != checker.LetterSafe || strings.HasPrefix(c.Note.English(),
		fmt.Sprintf("%d scripts and %d variations", c.Runs-c.Varied, c.Varied)))
}

// countsBy is the definition of the same.
func countsBy(runs []ran) string {
	count := func(is func(ran) bool) (n int) {
		for _, one := range runs {
			if is(one) {
				n++
			}
		}
		return n
	}
	of := func(letters string) func(ran) bool {
		return func(one ran) bool { return slices.Contains(strings.Fields(letters), string(one.letter)) }
	}
	varied := func(letters string) int {
		return count(func(one ran) bool { return one.v.Seed > 0 && of(letters)(one) })
	}
	const all = "S L D F V VF"
	worst := func(script bool) (first string, letter checker.Letter) {
		first = "none"
		for i, one := range runs {
			bad := strings.Index(all, string(one.letter))
			if script && one.v.Seed > 0 || one.letter == "?" || first != "none" && bad <= strings.Index(all, string(letter)) {
				continue
			}
			first, letter = fmt.Sprint("run ", i, " ", one.letter), one.letter
		}
		return first, letter
	}
	scripted, _ := worst(true)
	first, letter := worst(false)
	if count(of("V")) > 0 && count(of("F")) > 0 {
		letter = "VF"
	}
	if first == "none" || scripted == "none" && (letter == "S" || letter == "L") {
		letter = "?"
	}
	also := []checker.Letter{}
	for _, l := range []checker.Letter{"VF", "V", "F", "D", "L"} {
		if count(of(string(l))) > 0 && !strings.Contains(string(letter), string(l)) {
			also = append(also, l)
		}
	}
	out := fmt.Sprint(count(of(all)), count(of("?")), count(of("F V VF")), count(of("D")), letter, also,
		count(func(one ran) bool { return one.v.Seed == 0 }))
	if letter == "?" {
		return out
	}
	bad, tested := varied("D F V VF"), varied(all)
	low, high := rate.Wilson(bad, tested)
	return out + fmt.Sprint(rate.InOne(rate.Of(bad, tested)), rate.InOne(low), rate.InOne(high), scripted, first, true)
}
