/** Whether the event socket is there, for the parts of the console that say so or act on it. */
import { signal } from '@preact/signals'

export const link = signal<'closed' | 'opening' | 'open' | 'lost'>('closed')
