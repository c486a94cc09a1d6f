// This file was written by hand.
package bad_output_taken

const Mine = true
