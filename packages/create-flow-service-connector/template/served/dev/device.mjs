/** A device that does not exist: it sends its power to the node "meter" of the flow "demo" each second. */

/** The node, in an engine that listens where `service dev` does unless told otherwise. */
const node = 'http://127.0.0.1:8000/api/v1/connectors/acme_meter/demo/meter'

export async function startDevice() {
  const timer = setInterval(() => {
    const power = 200 + (Math.floor(Date.now() / 1000) % 60)
    const headers = { 'x-device-token': 'demo', 'content-type': 'application/json' }
    // the engine may not be there yet
    fetch(`${node}/event`, { method: 'POST', headers, body: JSON.stringify({ power }) }).catch(() => {})
  }, 1000)
  return { close: () => clearInterval(timer) }
}
