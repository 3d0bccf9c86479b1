import { type Command, Option } from 'commander'

import { amount, byDefault, clientOptions, lazily, withExamples } from './options.ts'

const id = ['<id>', 'a device, as "service devices list" shows it'] as const

/** `devices …`. */
export function addDevices(root: Command): void {
  const devices = root.command('devices').description('paired boards and panels, which flows use as nodes')
  const list = clientOptions(byDefault(devices, 'list'))
    .description('devices with whether they are online, and how many of their ports flows wire')
    .action(lazily(async () => (await import('../commands/devices.ts')).listDevices))
  withExamples(list, 'devices list', 'devices list --json')
  const show = clientOptions(devices.command('show').argument(...id))
    .description('a device with its ports, the messages that they are wired to, and last values')
    .action(lazily(async () => (await import('../commands/devices.ts')).showDevice))
  withExamples(show, 'devices show hall-panel')
  addPairing(devices)
  const add = clientOptions(devices.command('add').argument('<id>', 'its id in flows: letters, digits, "_" and "-"'))
    .description('create a device before there is a board for it; "devices pair" does so by itself')
    .option('--name <name>', 'what people call it; what the board says unless given')
    .action(lazily(async () => (await import('../commands/devices.ts')).addDevice))
  withExamples(add, 'devices add hall-panel --name "Panel in the hall"')
  const rename = clientOptions(devices.command('rename').argument(...id))
    .argument('<name>', 'what people call it from now on; flows know it by its id, which stays')
    .description('give a device another name')
    .action(lazily(async () => (await import('../commands/devices.ts')).renameDevice))
  withExamples(rename, 'devices rename hall-panel "Panel upstairs"')
  const unpair = clientOptions(devices.command('unpair').argument(...id))
    .description('take a device its credential: its connection ends, and it has to be paired again')
    .action(lazily(async () => (await import('../commands/devices.ts')).unpairDevice))
  withExamples(unpair, 'devices unpair hall-panel')
  const remove = clientOptions(devices.command('delete').argument(...id))
    .description('delete a device and its credential; nodes that stand for it stay, without a device')
    .action(lazily(async () => (await import('../commands/devices.ts')).deleteDevice))
  withExamples(remove, 'devices delete hall-panel')
  const types = clientOptions(devices.command('types'))
    .description('write the ports of all devices as types, so that the compiler checks device(…) in flows')
    .option('--out <file>', 'where to; flow-devices.d.ts in SERVICE_FLOWS, in flows/ or in this folder unless given')
    .option('--check', 'write nothing, and exit with 1 when the file is not what would be written')
    .action(lazily(async () => (await import('../commands/device-types.ts')).writeDeviceTypes))
  withExamples(types, 'devices types', 'devices types --out src/flows/flow-devices.d.ts --check')
}

function addPairing(devices: Command): void {
  const pair = adoptionOptions(devices.command('pair').argument('<code>', 'the eight characters that the device shows'))
    .description('adopt the device that shows a code: compare the check, then it gets its credential')
    .action(lazily(async () => (await import('../commands/pair-device.ts')).pairDevice))
  withExamples(pair, 'devices pair K7M4QX2A', 'devices pair K7M4QX2A --as hall-panel --name "Panel in the hall" --yes')
  const pending = clientOptions(devices.command('pending'))
    .description('devices that wait to be adopted, with the check that each shows')
    .action(lazily(async () => (await import('../commands/pair-device.ts')).listPending))
  withExamples(pending, 'devices pending')
  const approve = adoptionOptions(
    devices.command('approve').argument('<request>', 'a request of "service devices pending"'),
  )
    .description('adopt a waiting device of your own network without its code')
    .action(lazily(async () => (await import('../commands/pair-device.ts')).approveDevice))
  withExamples(approve, 'devices approve 01a1fdbf-5ff5-719e-a6ec-b0c023221ba6 --as hall-panel')
}

const adoptionOptions = (command: Command): Command =>
  clientOptions(command)
    .option('--as <id>', 'the device that it becomes, a new one or one that is there; made of its name unless given')
    .option('--name <name>', 'what people call it; what the board says unless given')
    .option('--yes', 'do not ask whether the device shows the check')
    .option('--wait <seconds>', 'how long to wait until it is online; 60 unless given, 0 not at all', amount)

/** `device …`: what a board does, instead of a board. */
export function addDevice(root: Command): void {
  const device = root.command('device').description('be a device, for who has no board at hand')
  const simulate = device
    .command('simulate')
    .description('a board in the terminal: it pairs as a real one does, and is moved by arrow keys or lines name=value')
    .option('--url <url>', 'the engine, such as http://hub:8000 (SERVICE_URL; found by the sign-in file)')
    .option('--name <name>', 'what it calls itself; another name is another device')
    .addOption(
      new Option('--board <board>', 'what it is').choices(['hall-panel', 'weather', 'camera']).default('hall-panel'),
    )
    .option('--forget', 'pair anew, though it has been paired before')
    .action(lazily(async () => (await import('../commands/simulate-device.ts')).simulateDevice))
  withExamples(
    simulate,
    'device simulate',
    'device simulate --board camera --name "Camera at the door" --url http://hub:8000',
  )
}
