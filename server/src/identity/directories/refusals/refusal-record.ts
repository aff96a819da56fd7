import { Type } from 'typebox'
import { named, Timestamp } from '../../../ground/http/chain/schemas.ts'

export const RefusalRecord = named(
  'DirectoryRefusal',
  Type.Object(
    {
      at: { ...Timestamp, description: 'When it was refused.' },
      method: Type.String({ description: 'The method of the request.', examples: ['POST'] }),
      path: Type.String({ description: 'Its path below `scim_url`, without a query.', examples: ['/Users'] }),
      status: Type.Integer({ description: 'The status of the answer.', examples: [409] }),
      detail: Type.String({
        description: 'What the answer said.',
        examples: ['userName: is that of another user of this directory'],
      }),
    },
    { description: 'A request of a directory that was refused.' },
  ),
)
