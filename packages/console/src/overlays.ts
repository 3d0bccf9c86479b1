/** What stands above every page, once somebody asks for it: the keys open it, the shell shows it. */
import { signal } from '@preact/signals'

/** Anything by its name: `palette.tsx`. */
export const palette = signal(false)
/** What can be done by keys: `key-list.tsx`. */
export const keyList = signal(false)
