/** Where lines are painted: standard output, or a test. */
export interface Paper {
  readonly columns?: number
  write(text: string): unknown
}

/** Lines on a terminal, painted over those before. */
export class Painting {
  readonly #paper: Paper
  #painted = 0

  constructor(paper: Paper) {
    this.#paper = paper
  }

  paint(lines: readonly string[]): void {
    const up = this.#painted > 0 ? `\u001b[${this.#painted}A` : ''
    // without wrapping: a line that takes two rows could not be painted over
    const rows = lines.map((line) => `\u001b[2K${line}\n`).join('')
    this.#paper.write(`${up}\u001b[?7l${rows}\u001b[?7h`)
    this.#painted = lines.length
  }
}
