import { ButtonLink } from './button.tsx'
import { Page } from './page.tsx'
import { Empty } from './state.tsx'

export const MissingPage = () => (
  <Page title="No such page">
    <Empty title="There is no page at this address." action={<ButtonLink to="/">Home</ButtonLink>} />
  </Page>
)
