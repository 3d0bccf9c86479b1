/**
 * `npm run commands-lm:calibrate`: fits the table by which scores become confidence to the calibration split, and writes it.
 * Run it after each change of the grammar; the tests fail while the table is not what it would write.
 */
import { writeFileSync } from 'node:fs'

import { calibrationFile } from './calibration-file.ts'

const { path, text } = calibrationFile()
writeFileSync(path, text)
