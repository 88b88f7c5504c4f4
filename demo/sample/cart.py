"""A shopping cart: items with a price and a quantity."""


class Cart:
    def __init__(self):
        self.items = []

    def add(self, name, price, quantity=1):
        self.items.append((name, price, quantity))

    def total(self):
        result = 0
        for item in self.items:
            result = result + item[1]
        return result


if __name__ == "__main__":
    cart = Cart()
    cart.add("tea", 3.50, quantity=2)
    cart.add("cup", 8.00)
    print(f"total: {cart.total():.2f} (two teas and a cup are 15.00)")
