/** The contract suite of connectors: what passes it. What fails it is tested beside this. */
import { test } from 'vitest'

import { contractSuite } from '../../src/testing.ts'
import { fixtures, Meter, params } from './meter.ts'

contractSuite(Meter, { test, params, fixtures })
