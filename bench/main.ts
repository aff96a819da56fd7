// `npm run bench -- <name> [options]`: runs one benchmark; without a name that there is, lists them.

type Bench = { about: string; run(): Promise<unknown> }

const benches: Record<string, Bench> = {
  throughput: { about: 'deliveries a second, beside two job queues', run: () => import('./throughput.ts') },
  latency: { about: 'time until the receiver has an event, beside the same', run: () => import('./latency.ts') },
  isolation: { about: 'what dead, hanging and unruly neighbours cost others', run: () => import('./isolation.ts') },
  shares: { about: 'what one organization within its limits costs another', run: () => import('./shares.ts') },
  'write-cost': {
    about: 'log, transactions, flushes and waits of one event with one delivery',
    run: () => import('./write-cost.ts'),
  },
  dump: { about: 'what a claim costs beside a dump of ten minutes', run: () => import('./dump.ts') },
  management: { about: 'the management interface, beside its bare statements', run: () => import('./management.ts') },
  'sign-in': { about: 'CPU of a sign-in, beside two other services', run: () => import('./sign-in.ts') },
  start: { about: 'time to ready, and memory of an idle service', run: () => import('./start.ts') },
  logout: {
    about: 'time until an application has a logout token, beside a dead one',
    run: () => import('./logout.ts'),
  },
  directories: {
    about: 'users and groups by SCIM, beside the management interface',
    run: () => import('./directories.ts'),
  },
  console: { about: 'first load of the console, and its list of deliveries', run: () => import('./console.ts') },
  soak: { about: 'half an hour of mixed load, beside its bare statements', run: () => import('./soak.ts') },
}

const usage = `npm run bench -- <name> [options]

${Object.entries(benches)
  .map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`)
  .join('\n')}

  --quick                     only see whether it runs; its figures are not kept
  --server <DATABASE_URL>     measure this server in place of the embedded one: throughput, latency, isolation, write-cost, dump, soak, sign-in, directories
  --two-processes             Signet with two processes as well: throughput, latency
  --keyed                     write-cost: requests with an Idempotency-Key
  --hanging [--seconds <n>]   isolation: only events that hang`

const [name = '', ...options] = process.argv.slice(2)
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined
if (!bench) {
  console.error(usage)
  process.exit(2)
}
// `support/options.ts` reads them.
process.argv.splice(2, Number.POSITIVE_INFINITY, ...options)
await bench.run()
