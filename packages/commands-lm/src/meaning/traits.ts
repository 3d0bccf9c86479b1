/**
 * What can be told of a clause before it is known what it orders: whether it is empty, takes back, is another time, is felt.
 * @module
 */
import type { Clause } from '../parse/clause.ts'
import type { Order } from './order.ts'

/** Whether a clause names nothing, and nothing to be done. */
export const isEmpty = (clause: Clause): boolean =>
  clause.parts.length === 0 &&
  clause.verb === null &&
  clause.state === null &&
  clause.degrees === null &&
  clause.length === null &&
  clause.reason === null &&
  !clause.same &&
  !clause.change

/** Whether a clause says nothing at all. */
const isBare = (clause: Clause): boolean =>
  isEmpty(clause) && clause.delay === null && !clause.clock && !clause.vague && !clause.dont && !clause.not

/** Whether somebody feels so, here and now. */
export const isFelt = (clause: Clause): boolean =>
  clause.sense !== null &&
  !clause.not &&
  !clause.clock &&
  !(clause.stranger && /^(cold|hot|dark|bright|loud|thirsty|leaving)$/.test(clause.sense))

/** Whether a clause has a number that may be minutes as well. */
export const isNumber = ({ degrees }: Clause): boolean => degrees !== null && !degrees.named && !degrees.to

/** "water it for ten minutes, fifteen": a bare number behind a time is another time. */
export const isAnotherTime = (clause: Clause, before: Order | undefined): boolean =>
  isNumber(clause) &&
  clause.parts.length === 0 &&
  clause.verb === null &&
  before !== undefined &&
  before.degrees === null &&
  (before.delay !== null || before.length !== null)

/** "no, I'm still reading": a word that takes back, and then no other command. */
export const isDenial = (clause: Clause, later: readonly Clause[]): boolean =>
  clause.denies &&
  clause.link === 'corr' &&
  (/^(aside|report)$/.test(clause.kind) ? !clause.sense : clause.kind === 'command' && isBare(clause)) &&
  later.every((one) => one.kind !== 'command' || isEmpty(one))

/** "ignore that", "leave it": what was said before. */
export const isLeft = ({ kind, verb, state, second, degrees, length, link, parts }: Clause): boolean =>
  kind === 'command' &&
  verb?.leaves === true &&
  state === null &&
  second === null &&
  degrees === null &&
  length === null &&
  link !== 'and' &&
  parts.length > 0 &&
  parts.every((part) => part.pointer === 'it')
