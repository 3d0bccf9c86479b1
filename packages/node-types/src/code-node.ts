/**
 * What `python` and `code` share: the author's function gets inputs and settings as named arguments (wire decision G60).
 * @module
 */
import type { NodeContext, NodeFinding, NodeInstance, NodeShape } from '@flow-service/connector-sdk'

/** Settings have to be usable as names of arguments; the engine checks the ports likewise. */
export const checkSettingNames = ({ settings }: NodeShape): NodeFinding[] =>
  Object.keys(settings)
    .filter((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    .map((name) => ({
      code: 'bad_setting',
      path: `/settings/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      message: `the setting "${name}" cannot name an argument of code; use letters, digits and "_"`,
    }))

/** Runs the code on each combined arrival, which a request is too; without inputs, on request alone. */
export const startCode = (ctx: NodeContext): NodeInstance =>
  ctx.inputs.length > 0
    ? { onInput: (values) => ctx.call(values) }
    : { onTrigger: (values) => (Object.keys(values).length > 0 ? values : ctx.call({})) }
