import { ButtonLink } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Copyable } from '../design/copy.tsx'
import { Row, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Notice } from '../design/state.tsx'

/** An admin key of an organization, which is shown this once. */
export const NewKey = ({ organizationId, apiKey }: { organizationId: string; apiKey: string }) => (
  <Stack>
    <Notice tone="good" title="The organization has an admin key.">
      It is shown this once; Signet keeps only a hash of it. Give it to the organization's administrator.
    </Notice>
    <Properties items={[['Organization ID', <Copyable key="id" text={organizationId} of="organization ID" />]]} />
    <Code label="API key" text={apiKey} wrap />
    <Row>
      <ButtonLink to={`/organizations/${organizationId}`} tone="primary">
        To the organization
      </ButtonLink>
    </Row>
  </Stack>
)
