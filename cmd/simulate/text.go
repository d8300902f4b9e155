package main

import "lockstep/internal/report/clean"

// terminalText makes a text from a scenario or a file name safe to print on one line.
func terminalText(s string) string { return clean.Line(s) }

// terminalLines is terminalText for texts of several lines.
func terminalLines(s string) string { return clean.Lines(s) }
