/** What a worker was told at its start is wrong; the message names the option, and says what to give instead. */
export class InvalidOption extends Error {
  override readonly name = 'InvalidOption'
}
