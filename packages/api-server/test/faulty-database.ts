/** Databases that fail the way a test wants. */
import type { Database } from '../src/db/database.ts'

/** Leads every statement and transaction through `way`; parts of statements, which nobody awaits, are left alone. */
export const through =
  (way: <T>(ask: () => Promise<T>) => Promise<T>) =>
  (database: Database): Database => ({
    ...database,
    transaction: (fn) => way(() => database.transaction(fn)),
    sql: new Proxy(database.sql, {
      apply(target, self, args: Parameters<Database['sql']>) {
        const query = Reflect.apply(target, self, args) as unknown as Promise<unknown>
        const run = query.then.bind(query)
        query.then = ((...handlers: Parameters<typeof run>) => way(() => run()).then(...handlers)) as typeof run
        return query
      },
    }),
  })

/** A database whose statements the test stops on their way. */
export const between = (stop: () => Promise<void>) =>
  through(async (ask) => {
    await stop()
    return ask()
  })

/** A database of which some answers are lost: what was asked is done. */
export const losing = (isLost: (answer: unknown) => boolean) =>
  through(async (ask) => {
    const answer = await ask()
    if (isLost(answer)) throw Object.assign(new Error('read CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
    return answer
  })
