/**
 * This SDK as the driver of sessions, on a virtual clock.
 * @module
 */
import { VirtualClock } from '@flow-service/core/testing'

import { connect, type Device, type DeviceError, pair } from '../src/index.ts'
import { Queue } from './queue.ts'
import type { Driver, Session } from './session-runner.ts'

type Fields = Readonly<Record<string, unknown>>

/** The clock of a test, which waits for what takes real time. */
class SessionClock extends VirtualClock {
  readonly #set = new Queue<number>()

  override setTimer(delayMs: number, run: () => void): () => void {
    this.#set.push(delayMs)
    return super.setTimer(delayMs, run)
  }

  /** Advances as soon as a timer was set that is due within that time. */
  async pass(ms: number): Promise<void> {
    while ((await this.#set.next()) > ms);
    await this.advance(ms)
  }
}

/** An SDK in this process. */
export class SdkDriver implements Driver {
  readonly events = new Queue<Fields>()
  readonly #clock = new SessionClock(0)
  #device: Device | undefined

  begin(kind: Session['kind'], { url, credential }: { url: string; credential: string }): void {
    if (kind === 'pair') this.#pair(url)
    else this.#connect(url, credential)
  }

  advance(seconds: number, kind: Session['kind']): Promise<void> {
    return kind === 'pair' ? this.#clock.pass(seconds * 1000) : this.#clock.advance(seconds * 1000)
  }

  act(action: Fields): unknown {
    const device = this.#device as Device
    const [[verb, given] = ['', {}]] = Object.entries(action) as [string, Fields][]
    switch (verb) {
      case 'publish':
        return this.#publish(device, given as Fields)
      case 'publish_many': {
        const { port, from, to } = given as { port: string; from: number; to: number }
        for (let value = from; value <= to; value++) void device.publish(port, value)
        return undefined
      }
      case 'frame': {
        const { port, bytes_hex, media_type } = given as { port: string; bytes_hex: string; media_type: string }
        return device.frame(port, Buffer.from(bytes_hex, 'hex'), media_type)
      }
      case 'report':
        void device.report(given?.value as object).then(
          () => this.events.push({ reported: true }),
          ({ code }: DeviceError) => this.events.push({ reported: false, code }),
        )
        return undefined
      case 'dropped':
        return device.dropped
      case 'config':
        return device.config(given?.port as string)
      case 'close':
        return device.close()
      default:
        throw new Error(`no such action: ${verb}`)
    }
  }

  #publish(device: Device, { port, value, as }: Fields): void {
    const published = device.publish(port as string, value)
    if (as === undefined) return
    void published.then(
      ({ ts }) => this.events.push({ published: as, ts }),
      ({ code }: DeviceError) => this.events.push({ refused: as, code }),
    )
  }

  #connect(url: string, credential: string): void {
    const device = connect({
      url,
      credential,
      clock: this.#clock,
      onError: (error) => this.events.push({ error: (error as DeviceError).code }),
    })
    this.#device = device
    device.onStatus(({ state, ...rest }) => this.events.push({ status: state, ...rest }))
    device.on('lamp', (value) => this.events.push({ value, port: 'lamp' }))
    device.onDemand((ports) => this.events.push({ demand: ports }))
  }

  #pair(url: string): void {
    const onCode = (code: string, check: string) => this.events.push({ code, check })
    const said = { name: 'Board', board: 'esp32', firmware: '1.0' }
    pair({ url, ...said, onCode, clock: this.#clock }).then(
      (paired) => this.events.push({ paired }),
      (error: unknown) => this.events.push({ failed: (error as DeviceError).code }),
    )
  }
}
