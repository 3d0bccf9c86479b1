/** What `node --test` runs, and fails. */
import { contractSuite } from '../../../src/testing.ts'
import { fixtures, Meter, params } from '../meter.ts'

class Deaf extends Meter {
  static override readonly contract = 1
  override async start() {}
}

contractSuite(Deaf, { params, fixtures })
