/**
 * Where the payload goes behind a command line of the shell: `<command> "$@"` (wire decision G75). A command that ends
 * before that place would make a program of the payload, so it is refused; the look is a little stricter than a shell's
 * ("Shell Command Language", POSIX.1-2024, sections 2.2, 2.3 and 2.9.1).
 * @module
 */

/** Words behind which a command begins. */
const openers = new Set(['!', '{', 'do', 'elif', 'else', 'if', 'then', 'time', 'until', 'while'])

/** Words behind which only a separator comes. */
const closers = new Set(['}', 'done', 'esac', 'fi'])

/** A word that assigns a variable. */
const assignment = /^[A-Za-z_]\w*=/

/**
 * Why the last command of a line takes no argument behind it, in words that follow "the command"; null when it does.
 */
export function payloadFault(command: string): string | null {
  const scan = new Scan(command)
  while (scan.more()) scan.step()
  if (scan.quote !== null) return `has a ${scan.quote} that is not closed; close it`
  if (scan.inComment) return 'ends in a comment, in which the value would be lost; remove the comment'
  if (scan.hereDocument) return 'has a here-document, which ends at a line of its own; read a file instead'
  return faultOfWords(scan.words())
}

function faultOfWords(words: readonly string[]): string | null {
  const name = words.find((word) => !openers.has(word) && !assignment.test(word))
  if (name === undefined)
    return 'ends without the name of a program, so that the value would be run as one; let it end in a program and its arguments'
  return closers.has(name) ? `ends in "${name}", which takes no argument; let it end in a program` : null
}

/** Reads a command line once, keeping the words of its last simple command. */
class Scan {
  quote: string | null = null
  inComment = false
  hereDocument = false
  readonly #text: string
  #at = 0
  #word: string | null = null
  #words: string[] = []
  /** The next word is the target of a redirection. */
  #redirects = false

  constructor(text: string) {
    this.#text = text
  }

  more(): boolean {
    return this.#at < this.#text.length
  }

  words(): readonly string[] {
    this.#endWord()
    return this.#words
  }

  step(): void {
    const char = this.#text[this.#at] ?? ''
    if (this.inComment) this.#comment(char)
    else if (char === '\\') this.#escaped()
    else if (char === "'" || char === '"' || char === '`') this.#quoted(char)
    else if (char === '$' && /[({]/.test(this.#text[this.#at + 1] ?? '')) this.#substitution()
    else if (char === '#' && this.#word === null) this.#comment(char)
    else if (/[;&|\n()]/.test(char) && !this.#isPartOfRedirection(char)) this.#separate()
    else if (/[<>]/.test(char)) this.#redirect()
    else if (/\s/.test(char)) this.#space()
    else this.#take(char)
  }

  #take(text: string): void {
    this.#word = (this.#word ?? '') + text
    this.#at += text.length
  }

  #comment(char: string): void {
    this.inComment = char !== '\n'
    if (char === '\n') this.#separate()
    else this.#at += 1
  }

  #space(): void {
    this.#endWord()
    this.#at += 1
  }

  #separate(): void {
    this.#endWord()
    this.#words = []
    this.#redirects = false
    this.#at += 1
  }

  #endWord(): void {
    if (this.#word === null) return
    if (!this.#redirects) this.#words.push(this.#word)
    this.#redirects = false
    this.#word = null
  }

  #escaped(): void {
    if (this.#at + 1 >= this.#text.length) this.quote = '\\'
    this.#take(this.#text.slice(this.#at, this.#at + 2))
  }

  #quoted(mark: string): void {
    let end = this.#at + 1
    while (end < this.#text.length && this.#text[end] !== mark) {
      end += this.#text[end] === '\\' && mark !== "'" ? 2 : 1
    }
    if (end >= this.#text.length) this.quote = mark
    this.#take(this.#text.slice(this.#at, end + 1))
  }

  /** `$(…)` and `${…}`: to the bracket that closes it; what is quoted inside counts as it does outside. */
  #substitution(): void {
    const open = this.#text[this.#at + 1] ?? ''
    const close = open === '(' ? ')' : '}'
    const inner = new Scan(this.#text.slice(this.#at + 2))
    let depth = 1
    while (inner.more() && depth > 0) {
      const char = inner.#text[inner.#at]
      if (char === open) depth += 1
      else if (char === close) depth -= 1
      if (depth === 0 || char === open || char === close) inner.#at += 1
      else inner.step()
    }
    if (depth > 0) this.quote = `$${open}`
    this.#take(this.#text.slice(this.#at, this.#at + 2 + inner.#at))
  }

  /** `2>&1` and `>|` are one operator. */
  #isPartOfRedirection(char: string): boolean {
    return (char === '&' || char === '|') && /[<>]/.test(this.#text[this.#at - 1] ?? '') && this.#redirects
  }

  #redirect(): void {
    if (this.#text.startsWith('<<', this.#at) && !this.#text.startsWith('<<<', this.#at)) this.hereDocument = true
    // digits before it name a descriptor
    if (this.#word !== null && /^\d+$/.test(this.#word)) this.#word = null
    this.#endWord()
    this.#redirects = true
    this.#at += 1
  }
}
