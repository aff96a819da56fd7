import type { Published } from '../programs/publisher.ts'
import type { Requested, RequestsOrder } from '../programs/requests.ts'
import { clientOf, times } from './client.ts'
import { type Directory, newUser, openDirectory, textOfScim } from './directory.ts'
import type { Credentials } from './exchange.ts'
import { milliseconds, quantile, table, verdict, whole } from './figures.ts'
import { orQuick } from './options.ts'
import { makeOrganization } from './organizations.ts'
import type { Program } from './program.ts'
import type { Signet } from './signet.ts'

const probes = orQuick(1_000, 60)
const everyMs = 20
const pushed = orQuick(20_000, 400)
const callers = 16
const aims = { ratio: 2, moreMs: 20 }

type Programs = { load: Program; asking: Program }

/** What one organization feels of another's first push: to another Signet on this machine, and then to its own. */
export async function measureNeighbour(here: Signet, other: Signet, programs: Programs): Promise<string[]> {
  const quiet = await makeQuiet(here)
  const alone = await feel(here, quiet, programs)
  const rows = [['', '`GET /groups` p95', 'users a second']]
  rows.push(['alone', milliseconds(alone), '–'])
  const beside = async (name: string, signet: Signet) => {
    const directory = await openDirectory(signet, await makeOrganization(signet))
    const [felt, { seconds }] = await Promise.all([feel(here, quiet, programs), push(directory, programs)])
    rows.push([name, milliseconds(felt), whole(pushed / seconds)])
    return felt
  }
  const elsewhere = await beside('beside a first push elsewhere', other)
  const shared = await beside('beside a first push here', here)
  const isMet = shared <= Math.max(aims.ratio * elsewhere, elsewhere + aims.moreMs)
  const judged = `Here at most ${aims.ratio} times the figure of elsewhere, or ${aims.moreMs} ms more: ${verdict(isMet)}.`
  return [`**Another organization beside a first push of ${whole(pushed)} users**`, table(rows), judged]
}

async function makeQuiet(signet: Signet): Promise<Credentials> {
  const quiet = await makeOrganization(signet)
  const { post } = clientOf(signet.port, { 'service-orgid': quiet.organizationId, 'service-api-key': quiet.apiKey })
  await times(20, (n) => post('/groups', { name: `Group${n}` }))
  return quiet
}

async function feel({ port }: Signet, quiet: Credentials, { asking }: Programs): Promise<number> {
  const order = { port, organizations: [quiet], callers: 10, json: '', calls: probes, everyMs }
  const { took } = await asking.ask<Published>({ ...order, what: 'GET /groups' })
  return quantile(took, 0.95)
}

function push(directory: Directory, { load }: Programs): Promise<Requested> {
  const texts = Array.from({ length: pushed }, (_, n) => textOfScim(directory, 'POST /Users', newUser('pushed', n)))
  return load.ask<Requested>({ port: directory.port, texts, callers } satisfies RequestsOrder)
}
