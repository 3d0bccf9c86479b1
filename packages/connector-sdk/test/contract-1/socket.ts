export type CertificatePin = (der: Uint8Array) => void | Promise<void>
export interface ConnectTarget {
  readonly host: string
  readonly port: number
  readonly tls?: boolean
  readonly pin?: CertificatePin
}
export interface SocketRoute {
  readonly path: string
  readonly secret: string | null
}
export interface SocketPeer {
  readonly waiting: number
  send(frame: string | Uint8Array, sent?: () => void): void
  cut(): void
}
export interface SocketListener {
  heard(text: string): void
  closed(): void
}
