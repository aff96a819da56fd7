// A part of the benchmarks of delivery, in a process of its own: pg-boss at the best settings found, with an endpoint that
// accepts events. Asked for anything, it says its port.
import { PgBoss } from 'pg-boss'
import { acceptEvents, type QueueSettings } from '../support/acceptor.ts'
import { type Job, openSender } from '../support/sender.ts'
import { createTurnstile } from '../support/turnstile.ts'

const queue = 'deliveries'
const { connectionString, receiving, inFlight, targets }: QueueSettings = JSON.parse(process.argv[2] ?? '')
const send = openSender(receiving)
const pass = createTurnstile(inFlight)

const boss = new PgBoss({ connectionString, max: 20, useListenNotify: true, schedule: false })
boss.on('error', (error) => console.error(error))
await boss.start()
await boss.createQueue(queue, { partition: true, notify: true })
await boss.work<Job>(
  queue,
  {
    batchSize: 200,
    localConcurrency: 3,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
    notifyPollingIntervalSeconds: 0.5,
  },
  (jobs) => Promise.all(jobs.map(({ data }) => pass(() => send(data)))),
)

const port = await acceptEvents(targets, (jobs) =>
  jobs.length === 1
    ? boss.send(queue, jobs[0])
    : boss.insert(
        queue,
        jobs.map((data) => ({ data })),
      ),
)

process.on('disconnect', () => process.exit())
process.on('message', () => process.send?.(port))
