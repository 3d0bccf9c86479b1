/** Nodes each of which reads what the one before it publishes; flows of them are what the benchmarks of growth have many of. */
export const chainOf = (length: number) =>
  Array.from({ length }, (_, at) => ({
    id: `node${at}`,
    type: 'change',
    ports: [
      { direction: 'input' as const, name: `m${at}`, dtype: 'float' as const },
      { direction: 'output' as const, name: `m${at + 1}`, dtype: 'float' as const },
    ],
  }))
