// A part of the benchmarks of delivery, in a process of its own: graphile-worker at the best settings found, with an
// endpoint that accepts events. Asked for anything, it says its port.
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { acceptEvents, type QueueSettings } from '../support/acceptor.ts'
import { type Job, openSender } from '../support/sender.ts'

const { connectionString, receiving, inFlight, targets }: QueueSettings = JSON.parse(process.argv[2] ?? '')
const send = openSender(receiving)

const preset = {
  worker: {
    connectionString,
    concurrentJobs: inFlight,
    maxPoolSize: inFlight + 2,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    logger: new Logger(() => () => {}),
  },
}
await run({ preset, taskList: { deliver: (payload) => send(payload as Job) }, noHandleSignals: true })
const { addJob, addJobs } = await makeWorkerUtils({ preset })

const port = await acceptEvents(targets, (jobs) =>
  jobs.length === 1 ? addJob('deliver', jobs[0]) : addJobs(jobs.map((payload) => ({ identifier: 'deliver', payload }))),
)

process.on('disconnect', () => process.exit())
process.on('message', () => process.send?.(port))
