/** What the dashboard's page and the extension say to each other. Both check what they are told. */
import { type DashboardData, isDashboardData } from '../../../core/statistics/dashboard_data';
import { isFlag, isObject, isOneOf, isText } from '../../../core/statistics/shape';

export const REQUESTS = ['ready', 'measure', 'clear', 'export'] as const;

/** From the page: it listens, or a button was pressed. */
export interface PageMessage {
  readonly type: (typeof REQUESTS)[number];
}

export interface DataMessage {
  readonly type: 'data';
  readonly data: DashboardData;
}

/** What to say to the user, and whether a measurement is under way. */
export interface NoteMessage {
  readonly type: 'note';
  /** One sentence. */
  readonly text: string;
  readonly measuring: boolean;
}

export type HostMessage = DataMessage | NoteMessage;

export const isPageMessage = isObject<PageMessage>({ type: isOneOf(...REQUESTS) });

const isDataMessage = isObject<DataMessage>({ type: isOneOf('data'), data: isDashboardData });
const isNoteMessage = isObject<NoteMessage>({
  type: isOneOf('note'),
  text: isText(1_000),
  measuring: isFlag,
});

export function isHostMessage(value: unknown): value is HostMessage {
  return isDataMessage(value) || isNoteMessage(value);
}
