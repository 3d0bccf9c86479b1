import { build } from '../../tsup.base.ts'

// what the protocol has for sockets becomes part of it, so that a board loads no schema library
export default build({ noExternal: ['@flow-service/protocol'] })
