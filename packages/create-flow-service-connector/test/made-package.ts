/** A package that was made in a directory of the test, with the workspace's packages for those that npm would install. */
import { MadeFolder } from '../../create-flow-service/test/made-folder.ts'
import { createConnector, type MadeConnector } from '../src/index.ts'

export class MadePackage extends MadeFolder {
  readonly made: MadeConnector

  constructor(name: string, kind: string) {
    super()
    this.made = createConnector({ name, kind, dir: this.folder })
    this.link('connector-sdk', 'flow-sdk')
  }
}
