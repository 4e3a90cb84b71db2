const DAY = 24 * 60 * 60 * 1000;

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

export function isLeapYear(year) {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function daysInMonth(year, month) {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

export function startOfWeek(date, firstDay = 1) {
  const result = new Date(date);
  const offset = (result.getDay() - firstDay + 7) % 7;
  result.setDate(result.getDate() - offset);
  result.setHours(0, 0, 0, 0);
  return result;
}

export function addDays(date, days) {
  const result = new Date(date);
  result.setDate(result.getDate() + days);
  return result;
}

export function daysBetween(start, end) {
  return Math.round((end.getTime() - start.getTime()) / DAY);
}

export function isSameDay(a, b) {
  return (
    a.getFullYear() === b.getFullYear() && a.getMonth() === b.getMonth() && a.getDate() === b.getDate()
  );
}

export function formatDate(date) {
  const year = date.getFullYear();
  const month = String(date.getMonth() + 1).padStart(2, '0');
  const day = String(date.getDate()).padStart(2, '0');
  return `${year}-${month}-${day}`;
}

export class Calendar {
  constructor(container, options = {}) {
    this.container = container;
    this.firstDay = options.firstDay ?? 1;
    this.onSelect = options.onSelect ?? (() => {});
    this.selected = null;
    this.today = new Date();
    this.year = this.today.getFullYear();
    this.month = this.today.getMonth() + 1;
    this.render();
  }

  next() {
    this.month += 1;
    if (this.month > 12) {
      this.month = 1;
      this.year += 1;
    }
    this.render();
  }

  previous() {
    this.month -= 1;
    if (this.month < 1) {
      this.month = 12;
      this.year -= 1;
    }
    this.render();
  }

  select(date) {
    this.selected = date;
    this.onSelect(date);
    this.render();
  }

  render() {
    this.container.replaceChildren();
    const title = document.createElement('h2');
    title.textContent = `${MONTHS[this.month - 1]} ${this.year}`;
    this.container.append(title);

    const grid = document.createElement('div');
    grid.className = 'calendar-grid';
    let date = startOfWeek(new Date(this.year, this.month - 1, 1), this.firstDay);
    for (let i = 0; i < 42; i++) {
      const current = date;
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = String(current.getDate());
      button.classList.toggle('today', isSameDay(current, this.today));
      button.classList.toggle('outside', current.getMonth() !== this.month - 1);
      if (this.selected !== null && isSameDay(current, this.selected)) {
        button.setAttribute('aria-pressed', 'true');
      }
      button.addEventListener('click', () => this.select(current));
      grid.append(button);
      date = addDays(date, 1);
    }
    this.container.append(grid);
  }
}
