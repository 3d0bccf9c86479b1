/**
 * How asking a chat model fails: the request throws it, the answer is refused with it, and the node that asked shows it.
 * @module
 */

/** A sentence for which a model gave no usable answer; `name` is the type of the failure. */
export class ChatFailure extends Error {
  override readonly name:
    | 'answer_too_large'
    | 'bad_answer'
    | 'http_status'
    | 'sentence_too_long'
    | 'timeout'
    | 'unreachable'
  constructor(name: ChatFailure['name'], message: string) {
    super(message)
    this.name = name
  }
}

/** What the other side said, in quotes, and no more of it than fits a line. */
export const quoted = (said: string): string => JSON.stringify(cut(said))

/** A JSON value that the other side gave, as it stands there. */
export const shown = (value: unknown): string => (value === undefined ? 'nothing' : cut(JSON.stringify(value)))

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

/** A text that may hold the token, without it (chat.C4); before it is cut, which would leave a part of the token. */
export const withoutToken = (text: string, token: string | null): string =>
  token === null ? text : text.replaceAll(token, '***')
