/**
 * JSON for readers.
 * @module
 */

/** Indented JSON in which an object of plain values takes one line. */
export const compactJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    /\{\n\s+([^{}[\]]*?)\n\s+\}/g,
    (_, fields: string) => `{ ${fields.replaceAll(/\n\s+/g, ' ')} }`,
  )
