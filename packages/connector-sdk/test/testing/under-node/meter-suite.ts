/** What `node --test` runs: the suite with the runner of Node.js, which it finds by itself. */
import { contractSuite } from '../../../src/testing.ts'
import { fixtures, Meter, params } from '../meter.ts'

contractSuite(Meter, { params, fixtures })
