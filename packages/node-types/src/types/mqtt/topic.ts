/**
 * Topics and filters of MQTT 3.1.1 (section 4.7), and which ports they belong to.
 * @module
 */
import type { NodePort } from '@flow-service/connector-sdk'

import type { MqttSettings } from './settings.ts'

const MAX_TOPIC_BYTES = 65_535

/** The topic of a port; undefined when the setting names none for it. */
export function topicOf(setting: MqttSettings['topic'], { message, port }: NodePort): string | undefined {
  if (typeof setting === 'string') return setting
  const names = [message, message.slice(message.indexOf('.') + 1), port]
  const name = names.find((each) => each !== '' && Object.hasOwn(setting, each))
  return name === undefined ? undefined : setting[name]
}

/** What is wrong with a topic to publish to, or to subscribe to; null when it can be used. */
export function topicFault(topic: string, use: 'publish' | 'subscribe'): string | null {
  if (topic === '') return 'is empty; name a topic'
  if (topic.includes('\0') || !topic.isWellFormed()) return 'holds a character that no topic can; remove it'
  if (new TextEncoder().encode(topic).length > MAX_TOPIC_BYTES) return `is longer than ${MAX_TOPIC_BYTES} bytes`
  if (use === 'publish') return /[+#]/.test(topic) ? 'is a filter; values are published to one topic' : null
  const levels = filterOf(topic).split('/')
  const isSound = levels.every(
    (level, at) => level === '+' || (level === '#' && at === levels.length - 1) || !/[+#]/.test(level),
  )
  return isSound ? null : 'is no filter: + stands for a whole level, and # for all levels at the end'
}

/** A shared subscription, `$share/{group}/{filter}`, gets what its filter matches. */
const filterOf = (subscription: string): string => subscription.replace(/^\$share\/[^/]+\//, '')

/** Whether a subscription gets what is published to a topic. */
function matches(subscription: string, topic: string): boolean {
  const filter = filterOf(subscription)
  // topics of the broker itself are asked for by their first level
  if (topic.startsWith('$') && !filter.startsWith('$')) return false
  const wanted = filter.split('/')
  const levels = topic.split('/')
  for (const [at, level] of wanted.entries()) {
    if (level === '#') return true
    if (at >= levels.length || (level !== '+' && level !== levels[at])) return false
  }
  return wanted.length === levels.length
}

/** Whether a filter gets all that another one gets. */
function covers(wide: string, narrow: string): boolean {
  // who else is in the group gets a part of it
  if (wide.startsWith('$share/') || narrow.startsWith('$share/')) return false
  if (narrow.startsWith('$') && !wide.startsWith('$')) return false
  const [w, n] = [wide.split('/'), narrow.split('/')]
  for (let at = 0; at < w.length; at++) {
    if (w[at] === '#') return true
    if (n[at] === undefined || n[at] === '#' || (w[at] !== '+' && w[at] !== n[at])) return false
  }
  return w.length === n.length
}

/** The fewest of the filters that get the same: a broker may send a message once for each filter that it fits. */
export function widest(filters: readonly string[]): string[] {
  const distinct = [...new Set(filters)]
  return distinct.filter((filter) => !distinct.some((other) => other !== filter && covers(other, filter)))
}

/** Whether there is a topic that both get. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [filterOf(one).split('/'), filterOf(other).split('/')]
  if (one.startsWith('$share/') !== other.startsWith('$share/')) return false
  for (let at = 0; ; at++) {
    const [x, y] = [a[at], b[at]]
    if (x === '#' || y === '#') return true
    if (x === undefined || y === undefined) return x === y
    if (x !== '+' && y !== '+' && x !== y) return false
  }
}

const MAX_KNOWN_TOPICS = 10_000

/** The ports that a topic feeds, in their order; remembered, for topics come again and again. */
export function routing(
  outputs: readonly NodePort[],
  setting: MqttSettings['topic'],
): (topic: string) => readonly NodePort[] {
  const known = new Map<string, readonly NodePort[]>()
  return (topic) => {
    let ports = known.get(topic)
    if (ports === undefined) {
      ports = outputs.filter((port) => matches(topicOf(setting, port) ?? '', topic))
      if (known.size >= MAX_KNOWN_TOPICS) known.clear()
      known.set(topic, ports)
    }
    return ports
  }
}
