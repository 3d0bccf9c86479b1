/** Points of one curve as columns that grow at their end, kept as the chart draws them: sixteen bytes a point. */
export class Columns {
  #xs = new Float64Array(0)
  #ys = new Float64Array(0)
  #length = 0

  /** X of the last point; -1 before there is one. */
  get last(): number {
    return this.#length === 0 ? -1 : (this.#xs[this.#length - 1] ?? -1)
  }

  /** What there is; later points are in later answers only. */
  now(): { readonly xs: Float64Array; readonly ys: Float64Array } {
    return { xs: this.#xs.subarray(0, this.#length), ys: this.#ys.subarray(0, this.#length) }
  }

  /** These in place of all before. */
  set(x: readonly unknown[], y: readonly unknown[]): void {
    this.#xs = Float64Array.from(x, Number)
    this.#ys = Float64Array.from(y, Number)
    this.#length = this.#xs.length
  }

  /** These behind the others, but those of which others have told already; false where there is none. */
  add(x: readonly unknown[], y: readonly unknown[]): boolean {
    const before = this.#length
    for (const [index, at] of x.entries()) {
      if (this.#length > 0 && Number(at) <= this.last) continue
      if (this.#length === this.#xs.length) this.#grow()
      this.#xs[this.#length] = Number(at)
      this.#ys[this.#length] = Number(y[index])
      this.#length += 1
    }
    return this.#length > before
  }

  #grow(): void {
    const size = Math.max(64, Math.ceil(this.#length * 1.5))
    this.#xs = grown(this.#xs, size)
    this.#ys = grown(this.#ys, size)
  }
}

function grown(column: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const next = new Float64Array(size)
  next.set(column)
  return next
}
