package plan

import (
	"reflect"
	"testing"
	"time"
)

// Scaled scales every duration of a plan.
func TestScaledScalesEveryDuration(t *testing.T) {
	p := Default()
	p.Redis.Lag = time.Second
	p.Clocks = []Clock{{Node: "A", Offset: time.Second, DriftPPM: 7}}
	fill(reflect.ValueOf(&p).Elem())
	scaled := p.Scaled(100_000)
	compare(t, "plan", reflect.ValueOf(p), reflect.ValueOf(scaled))
	if scaled.Clocks[0].DriftPPM != 7 || p.Clocks[0].Offset != time.Second {
		t.Error("a rate was scaled, or the plan that was given changed")
	}
}

// A plan has its scale, for real servers whose timeouts cannot be configured.
func TestAPlanHasItsScale(t *testing.T) {
	p := Default()
	half := p.Scaled(500_000)
	if quarter := half.Scaled(500_000); p.ScalePPM != 0 || half.ScalePPM != 500_000 || quarter.ScalePPM != 250_000 {
		t.Errorf("%d, %d, %d millionths", p.ScalePPM, half.ScalePPM, quarter.ScalePPM)
	}
}

var durationType = reflect.TypeFor[time.Duration]()

// fill gives every duration of a struct a value.
func fill(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if v.Field(i).Type() == durationType {
			v.Field(i).SetInt(int64(time.Second))
		} else {
			fill(v.Field(i))
		}
	}
}

func compare(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch {
	case a.Type() == durationType:
		if b.Int() != a.Int()/10 {
			t.Errorf("%s: %v became %v, want a tenth", path, a, b)
		}
	case a.Kind() == reflect.Struct:
		for i := range a.NumField() {
			compare(t, path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case a.Kind() == reflect.Slice:
		for i := range a.Len() {
			compare(t, path, a.Index(i), b.Index(i))
		}
	}
}

// 10,000 rounds with 11 waits of a day each are 301 years, which is more than a Duration holds. The
// end would lie before the beginning, and a run that is over at once would break nothing.
func TestALongHorizonDoesNotOverflow(t *testing.T) {
	p := Default()
	p.Workload.Repeat, p.Workload.Nested, p.Workload.Wait = 10_000, 10, 24*time.Hour
	if h := p.Horizon(); h != MaxHorizon {
		t.Errorf("the horizon is %v", h)
	}
}
