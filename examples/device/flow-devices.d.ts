// Ports of devices as they report them, written by "service devices types".
import type {} from '@flow-service/node-types/flow'

declare module '@flow-service/node-types/flow' {
  interface Devices {
    'entrance-camera': {
      in: { picture: 'image' }
      out: { shoot: 'bool' }
    }
    'entrance-panel': {
      in: { lux: 'float'; motion: 'bool' }
      out: { backlight: 'float'; relay1: 'bool' }
    }
  }
}
