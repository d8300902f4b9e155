package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"time"
)

func (f *file) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// tarred packs files in a folder, without an owner and with the time of the commit.
func tarred(folder string, files []file, made time.Time) ([]byte, error) {
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	w := tar.NewWriter(compressed)
	for i := range files {
		f := &files[i]
		head := &tar.Header{Name: folder + "/" + f.name, Mode: f.mode(), Size: int64(len(f.data)), ModTime: made, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := errors.Join(w.Close(), compressed.Close())
	return out.Bytes(), err
}

// zipped is tarred for Windows.
func zipped(folder string, files []file, made time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := range files {
		f := &files[i]
		in, err := w.CreateHeader(&zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: made})
		if err != nil {
			return nil, err
		}
		if _, err := in.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
