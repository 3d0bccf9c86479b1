/** A live flow: motion at a panel switches the light on until it has been calm, and has a camera take a picture to keep. */
import { liveFlow, node, t } from '@flow-service/flow-sdk'
import { debounce, device } from '@flow-service/node-types/flow'

/** The display of the panel is bright by day alone. */
const dim = node('dim', {
  in: { lux: t.float },
  out: { backlight: t.float },
  run: ({ lux }) => ({ backlight: lux < 50 ? 0.2 : 1 }),
})

/** A picture of a device is gone when newer ones have come; a copy of it stays. */
const keep = node('keep', {
  in: { picture: t.image },
  out: { kept: t.image },
  async run({ picture }, ctx) {
    const bytes = await ctx.loadArtifact(picture)
    return { kept: await ctx.saveArtifact(bytes, { name: 'entrance.png', mediaType: picture.media_type }) }
  },
})

const messages = { lux: t.float, motion: t.bool, light: t.bool, brightness: t.float, picture: t.image, kept: t.image }

export const entrance = liveFlow('entrance', messages, (m, use) => {
  // its ports stand in flow-devices.d.ts: an editor completes them, and others do not compile
  const panel = device('entrance-panel', {
    out: { lux: t.float, motion: t.bool },
    in: { relay1: t.bool, backlight: t.float },
    config: { motion: { sensitivity: 3 } },
  })
  const shown = { relay1: m.light, backlight: m.brightness }
  use(panel, shown, { id: 'panel', out: { lux: m.lux, motion: m.motion } })
  use(dim, { lux: m.lux }, { out: { backlight: m.brightness } })
  use(
    debounce(t.bool, { first: true, then: false, wait: 0.5 }),
    { in: m.motion },
    { id: 'calm', out: { out: m.light } },
  )

  // the camera sends nothing unless somebody wants it: here, because "keep" reads its pictures
  const camera = device('entrance-camera', { in: { shoot: t.bool }, out: { picture: t.image }, onDemand: ['picture'] })
  use(camera, { shoot: m.motion }, { id: 'camera', out: { picture: m.picture } })
  use(keep, { picture: m.picture }, { out: { kept: m.kept } })
})
