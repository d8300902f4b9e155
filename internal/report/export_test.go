package report

// What the tests of this package draw, for those outside of it.
var (
	ComparisonOfTests = testComparison
	MatrixOfTests     = tinyMatrix
	SweepOfTests      = aSweep
)
