/** Lets everything that is ready go on. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
