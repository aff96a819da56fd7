/** Loaded before the service: the system clock of this process is `FAULT_CLOCK_MS` ahead, behind when negative. */
const shift = Number(process.env.FAULT_CLOCK_MS)
const SystemDate = Date
const { timeOrigin } = performance

globalThis.Date = new Proxy(SystemDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length ? args : [target.now() + shift], made),
  get: (target, name) => (name === 'now' ? () => target.now() + shift : Reflect.get(target, name)),
})
Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin + shift })
