/**
 * Short names of Home Assistant's discovery, as its documentation lists them, for what is read here; and the base topic `~`.
 * @module
 */
import { type Fields, isFields } from './channel.ts'

const names: Readonly<Record<string, string>> = {
  avty: 'availability',
  avty_mode: 'availability_mode',
  avty_t: 'availability_topic',
  avty_tpl: 'availability_template',
  bri_cmd_t: 'brightness_command_topic',
  bri_scl: 'brightness_scale',
  bri_stat_t: 'brightness_state_topic',
  bri_val_tpl: 'brightness_value_template',
  cmd_t: 'command_topic',
  cmd_tpl: 'command_template',
  cmps: 'components',
  dev: 'device',
  dev_cla: 'device_class',
  obj_id: 'object_id',
  ops: 'options',
  p: 'platform',
  pl_avail: 'payload_available',
  pl_lock: 'payload_lock',
  pl_not_avail: 'payload_not_available',
  pl_off: 'payload_off',
  pl_on: 'payload_on',
  pl_prs: 'payload_press',
  pl_unlk: 'payload_unlock',
  stat_cla: 'state_class',
  stat_locked: 'state_locked',
  stat_off: 'state_off',
  stat_on: 'state_on',
  stat_t: 'state_topic',
  stat_unlocked: 'state_unlocked',
  stat_val_tpl: 'state_value_template',
  t: 'topic',
  uniq_id: 'unique_id',
  unit_of_meas: 'unit_of_measurement',
  val_tpl: 'value_template',
}
const deviceNames: Readonly<Record<string, string>> = { cns: 'connections', ids: 'identifiers' }

const named = (fields: Fields, known: Readonly<Record<string, string>>): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [Object.hasOwn(known, name) ? known[name] : name, value]),
  )

/** The configuration in full words and whole topics. */
export function inFull(fields: Fields, base = fields['~']): Fields {
  const full = Object.entries(named(fields, names)).map(([name, value]) => {
    if (name === 'device' && isFields(value)) return [name, named(value, deviceNames)]
    if (name === 'availability' && Array.isArray(value))
      return [name, value.map((each: unknown) => (isFields(each) ? inFull(each, base) : each))]
    if (name === 'components' && isFields(value))
      return [
        name,
        Object.fromEntries(
          Object.entries(value).map(([id, each]) => [id, isFields(each) ? inFull(each, each['~'] ?? base) : each]),
        ),
      ]
    const isTopic = typeof value === 'string' && (name === 'topic' || name.endsWith('_topic'))
    return [name, isTopic && typeof base === 'string' ? value.replace(/^~|~$/, () => base) : value]
  })
  return Object.fromEntries(full) as Fields
}
