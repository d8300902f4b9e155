package say

// pageTexts are those of the other pages: comparisons, matrix, sweep, both worlds, and the index.
var pageTexts = [][2]string{
	{"Retries, renewals and releases count as well: they are what the store has to bear.", "重试、续期和释放也算在内：存储都要承受。"},
}
