/**
 * Answers as `Response`. One whose content is all here does without the streams and parts of a `Response` until somebody
 * asks for them: to make these takes longer than a small exchange itself.
 * @module
 */
import { WHOLE } from '@flow-service/protocol'

/** What a response is made of beside its content. */
export interface ResponseHead {
  readonly url: string
  readonly status: number
  readonly statusText: string
  /** As they came; several of one name are a list. */
  readonly fields: Readonly<Record<string, string | string[] | undefined>>
}

/** A response of any content. Throws a RangeError for a status that no response has. */
export function responseOf(
  { url, status, statusText, fields }: ResponseHead,
  content: ConstructorParameters<typeof Response>[0],
): Response {
  const response = new Response(content, { status, statusText, headers: headersOf(fields) })
  return Object.defineProperty(response, 'url', { value: url })
}

function headersOf(fields: ResponseHead['fields']): Headers {
  const headers = new Headers()
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    if (typeof value === 'string') headers.append(name, value)
    else for (const one of value ?? []) headers.append(name, one)
  }
  return headers
}

const decoder = new TextDecoder()

/** A response that is all here; its status is between 200 and 599. */
export class WholeResponse implements Response {
  readonly [WHOLE] = true
  readonly redirected = false
  readonly type = 'default'
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly #head: ResponseHead
  readonly #content: Uint8Array<ArrayBuffer>
  #headers: Headers | null = null
  #isRead = false
  /** Does all that is seldom asked for. */
  #full: Response | null = null

  constructor(head: ResponseHead, content: Uint8Array<ArrayBuffer>) {
    beResponse()
    this.url = head.url
    this.status = head.status
    this.statusText = head.statusText
    this.#head = head
    this.#content = content
  }

  get ok(): boolean {
    return this.status < 300
  }

  get headers(): Headers {
    this.#headers ??= headersOf(this.#head.fields)
    return this.#headers
  }

  get body(): Response['body'] {
    return this.#response().body
  }

  get bodyUsed(): boolean {
    return this.#full === null ? this.#isRead : this.#full.bodyUsed
  }

  async text(): Promise<string> {
    if (this.#full !== null || this.#isRead) return this.#response().text()
    this.#isRead = true
    return decoder.decode(this.#content)
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.arrayBuffer())
  }

  arrayBuffer(): ReturnType<Response['arrayBuffer']> {
    return this.#response().arrayBuffer()
  }

  blob(): ReturnType<Response['blob']> {
    return this.#response().blob()
  }

  formData(): ReturnType<Response['formData']> {
    return this.#response().formData()
  }

  clone(): Response {
    return this.#response().clone()
  }

  #response(): Response {
    if (this.#full !== null) return this.#full
    this.#full = responseOf(this.#head, this.#content)
    // what was read once cannot be read again
    if (this.#isRead) void this.#full.text()
    return this.#full
  }
}

/** Whether it passes for one of Node's. `Response` is looked at with the first one: Node loads all of its `fetch` for that. */
let isResponse = false
function beResponse(): void {
  if (isResponse) return
  isResponse = true
  Object.setPrototypeOf(WholeResponse.prototype, Response.prototype)
}
