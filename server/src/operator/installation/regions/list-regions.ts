import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { named } from '../../../ground/http/chain/schemas.ts'
import { readReplicas } from './region-store.ts'

const RegionRecord = named(
  'Region',
  Type.Object(
    {
      name: Type.String({ description: 'Its name in `SIGNET_REGIONS`.', examples: ['us'] }),
      is_local: Type.Boolean({
        description: 'Whether it is the `SIGNET_REGION` of the process that answers.',
        examples: [true],
      }),
      state: Type.Enum(['primary', 'streaming', 'missing'], {
        description:
          '`primary`: all processes use its database, as `SIGNET_REGION` says. `streaming`: its standby follows the primary. `missing`: none does, or it is still catching up; requests for `all_regions` wait for it.',
        examples: ['primary'],
      }),
      replay_lag_seconds: Type.Union([Type.Number(), Type.Null()], {
        description: 'How long its standby took to replay a change, as PostgreSQL last measured it; null: not known.',
        examples: [0.004],
      }),
      replay_lag_bytes: Type.Union([Type.Integer(), Type.Null()], {
        description: 'How much of the log of the primary its standby has not replayed yet; null: not known.',
        examples: [512],
      }),
    },
    { description: 'A region of this installation: its primary, or a standby of it.' },
  ),
)

type Dependencies = { database: Database; region: string; others: string[] }

export const listRegions = ({ database, region, others }: Dependencies) =>
  operation({
    id: 'listRegions',
    method: 'GET',
    path: '/regions',
    access: 'operator',
    tag: 'Installation',
    summary: 'List the regions',
    description:
      'Those of `SIGNET_REGIONS`, the one of the process that answers first. Where a region has several standbys, the one that is furthest behind counts, as for `all_regions`.',
    result: Type.Array(RegionRecord, { description: 'The regions.' }),
    handle: async () => {
      const replicas = await readReplicas(database.read, others)
      const local = { name: region, state: 'primary', replay_lag_seconds: 0, replay_lag_bytes: 0 }
      return [local, ...replicas].map((each) => ({ ...each, is_local: each.name === region }))
    },
  })
