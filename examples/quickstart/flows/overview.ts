/** A dashboard of both flows: the greenhouse as it is now, with a way to interfere, and the last estimates of pi. */
import { button, chart, dashboard, gauge, runsChart, text, value } from '@flow-service/flow-sdk'

import { estimatePi } from './estimate-pi.ts'
import { greenhouse } from './greenhouse.ts'

const { temp, mode, fan } = greenhouse.messages

export const overview = dashboard('overview', {
  title: 'Greenhouse and pi',
  widgets: [
    gauge(temp, { max: 50, unit: '°C', thresholds: [{ from: 28, level: 'warning' }] }),
    value(fan, { title: 'Fan' }),
    button(mode, { title: 'Decide by temperature', value: 'auto', label: 'Automatic' }),
    button(mode, { title: 'Leave the fan alone', value: 'off', label: 'Off' }),
    chart([temp], { window: 3600, unit: '°C' }),
    runsChart(estimatePi, { latest: 3, metrics: ['estimate'] }),
    text('Every reading above 28 °C switches the fan on for a minute.', { w: 12, h: 1 }),
  ],
})
