/** A picture that is taken on the engine, and searched on a worker with the label `gpu`. */
import { batchFlow, input, stage, stream, t } from '@flow-service/flow-sdk'

/** A picture of `size` by `size` points, of which a few are bright. */
export const expose = stage('expose', {
  in: { size: t.int },
  out: { picture: t.artifact },
  async run({ size }, ctx) {
    const points = Uint8Array.from({ length: size * size }, () => (ctx.random() < 0.01 ? 255 : 10))
    return { picture: await ctx.saveArtifact(points, { name: 'picture.raw', mediaType: 'application/octet-stream' }) }
  },
})

/** Finds the bright points: needs a machine for it, and gets the picture as an artifact. */
export const search = stage('search', {
  in: { picture: t.artifact, size: t.int },
  out: { searched: stream(t.float), bright: t.int },
  worker: 'gpu',
  async *run({ picture, size }, ctx) {
    const points = await ctx.loadArtifact(picture)
    let bright = 0
    for (let row = 0; row < size; row++) {
      for (const point of points.subarray(row * size, (row + 1) * size)) bright += Number(point > 200)
      if (row % 16 === 15) yield { searched: (row + 1) / size }
    }
    return { bright }
  },
})

export const scan = batchFlow('scan', { size: input(t.int, 128) }, (p, use) => {
  const { picture } = use(expose, { size: p.size })
  return use(search, { picture, size: p.size })
})
